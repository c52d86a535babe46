// Lines of contacts (RFC 2426) and calendars (RFC 5545), which have the same rules for texts.

/** A text as a value: commas, semicolons, backslashes and line breaks would end or split it. */
export function textValue(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n?|\n/g, '\\n');
}

/** Lines with the line ends that both formats ask for; null leaves a line out. */
export function directoryLines(lines: readonly (string | null)[]): string {
  return lines.map((line) => (line === null ? '' : `${line}\r\n`)).join('');
}
