interface Constraint {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

/** Attributes of a text input for the host's rules of its field. `required` goes through the form itself. */
export function nativeLimits(constraint: Constraint | undefined): Constraint {
  const { minLength, maxLength, pattern } = constraint ?? {};
  return {
    // A least length of one says no more than `required` does.
    ...(minLength !== undefined && minLength > 1 && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && isValidPattern(pattern) && { pattern }),
  };
}

/** Browsers compile patterns with the `v` flag and complain aloud of what it does not know. */
function isValidPattern(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'v'));
  } catch {
    return false;
  }
}
