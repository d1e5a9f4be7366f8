import { Stack } from 'expo-router';
import { StyleSheet, Text, View } from 'react-native';

export default function About() {
  return (
    <View style={styles.screen}>
      <Stack.Screen options={{ title: 'About' }} />
      <Text style={styles.text}>One code for Android, iOS and the web. Each file in app/ is a screen, and a page of the website.</Text>
    </View>
  );
}

const styles = StyleSheet.create({
  screen: { flex: 1, justifyContent: 'center', padding: 24, maxWidth: 560, width: '100%', alignSelf: 'center' },
  text: { fontFamily: 'Inter_400Regular', fontSize: 16, lineHeight: 26 },
});
