/**
 * The URL that a text is; null if it is none. For `URL.canParse`, which in Node.js 20 refuses names such as
 * `bücher.example` as soon as the code that calls it is compiled.
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
