/** The name of a preset: its file name without the extension. */
export function presetName(file: string): string {
  return file.replace(/\.[^.]+$/, '');
}
