/** Whether a body is compressed, by its `Content-Encoding`. We inflate none: a few kB may become gigabytes. */
export function isCompressed(contentEncoding: string | null | undefined): boolean {
  return (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .some((coding) => coding !== '' && coding !== 'identity');
}
