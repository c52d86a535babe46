/** Thrown when no drawing of the code reads back as its payload; no file is returned then. */
export class UnreadableCodeError extends Error {
  override name = 'UnreadableCodeError';
}

/** Thrown for a styled code that too few decoders read: below grade C no file is returned. */
export class PoorGradeError extends Error {
  override name = 'PoorGradeError';
}

/** Thrown for a code whose frame has a caption with letters that cannot be drawn: no file is made without it. */
export class CaptionError extends Error {
  override name = 'CaptionError';
}
