/** Thrown when no drawing of the code reads back as its payload; nothing is handed out then. */
export class UnreadableCodeError extends Error {
  override name = 'UnreadableCodeError';
}

/** Thrown for a code with a look of its own that too few decoders read: below grade C nothing is handed out. */
export class PoorGradeError extends Error {
  override name = 'PoorGradeError';
}
