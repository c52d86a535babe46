declare module 'vnu-jar' {
  /** Path to the JAR file. */
  const jar: string;
  export default jar;
}

declare module 'axe-core/axe.min.js' {
  /** With the text of the script itself, less than half as long as that of the package's main file. */
  const axe: { source: string };
  export default axe;
}
