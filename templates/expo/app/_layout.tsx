import { Inter_400Regular } from '@expo-google-fonts/inter/400Regular';
import { Inter_700Bold } from '@expo-google-fonts/inter/700Bold';
import { useFonts } from 'expo-font';
import { Stack } from 'expo-router';
import { StatusBar } from 'expo-status-bar';

export default function RootLayout() {
  useFonts({ Inter_400Regular, Inter_700Bold });
  return (
    <>
      <Stack screenOptions={{ headerTitleStyle: { fontFamily: 'Inter_700Bold' } }} />
      <StatusBar style="auto" />
    </>
  );
}
