export type CodeFormat = 'png' | 'jpeg' | 'svg' | 'pdf';

/** Of a file's name, without the dot. */
export function extensionOf(format: CodeFormat): string {
  return format === 'jpeg' ? 'jpg' : format;
}
