interface Constraint {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

/** Input attributes for the host's rules of a text field. `required` is set by the form itself. */
export function nativeLimits(constraint: Constraint | undefined): Constraint {
  const { minLength, maxLength, pattern } = constraint ?? {};
  return {
    // A minimum length of one adds nothing to `required`.
    ...(minLength !== undefined && minLength > 1 && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && isValidPattern(pattern) && { pattern }),
  };
}

/** Browsers compile patterns with the `v` flag and log an error for invalid ones. */
function isValidPattern(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'v'));
  } catch {
    return false;
  }
}
