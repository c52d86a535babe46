/** A name for a preset: what stands before the extension of its file. */
export function presetName(file: string): string {
  return file.replace(/\.[^.]+$/, '');
}
