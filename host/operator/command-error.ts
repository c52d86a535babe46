/** Exit codes of the operator's command line. */
export const EXIT = { done: 0, failed: 1, usage: 2, notFound: 3, refused: 4 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** A command changed nothing, for the reason in the message. */
export class CommandError extends Error {
  constructor(
    readonly exit: Exit,
    message: string,
  ) {
    super(message);
    this.name = 'CommandError';
  }
}

export function refuse(message: string): never {
  throw new CommandError(EXIT.refused, message);
}

export function notFound(message: string): never {
  throw new CommandError(EXIT.notFound, message);
}
