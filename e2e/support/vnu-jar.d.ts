declare module 'vnu-jar' {
  /** Path of the JAR file. */
  const jar: string;
  export default jar;
}
