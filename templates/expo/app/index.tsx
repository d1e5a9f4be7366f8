import { Link, Stack } from 'expo-router';
import { StyleSheet, Text, View } from 'react-native';

export default function Home() {
  return (
    <View style={styles.screen}>
      <Stack.Screen options={{ title: 'Home' }} />
      <Text style={styles.title}>It runs.</Text>
      <Text style={styles.text}>Change app/index.tsx, commit and push: the branch is built and gets an address of its own.</Text>
      <Link href="/about" style={styles.link}>
        A second screen
      </Link>
    </View>
  );
}

const styles = StyleSheet.create({
  screen: { flex: 1, justifyContent: 'center', gap: 16, padding: 24, maxWidth: 560, width: '100%', alignSelf: 'center' },
  title: { fontFamily: 'Inter_700Bold', fontSize: 40 },
  text: { fontFamily: 'Inter_400Regular', fontSize: 16, lineHeight: 26 },
  link: { fontFamily: 'Inter_400Regular', fontSize: 16, textDecorationLine: 'underline' },
});
