declare module 'vnu-jar' {
  /** Path to the JAR file. */
  const jar: string;
  export default jar;
}
