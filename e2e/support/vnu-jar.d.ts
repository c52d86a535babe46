declare module 'vnu-jar' {
  /** Path of the jar. */
  const jar: string;
  export default jar;
}
