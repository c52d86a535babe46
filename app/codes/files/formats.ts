export type CodeFormat = 'png' | 'jpeg' | 'svg' | 'pdf';

/** The file extension, without the dot. */
export function extensionOf(format: CodeFormat): string {
  return format === 'jpeg' ? 'jpg' : format;
}
