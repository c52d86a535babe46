import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Paths of the faces of Arimo, which has the metrics of Helvetica, and the letters of every European language. */
export const FONT_FILES = {
  regular: require.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
  bold: require.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf'),
};
