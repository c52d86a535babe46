/** Thrown when no drawing of the code reads back as its payload; nothing is handed out then. */
export class UnreadableCodeError extends Error {
  override name = 'UnreadableCodeError';
}
