/** Why an operator's command does nothing, as the exit code of the program. */
export const EXIT = { done: 0, failed: 1, usage: 2, unknown: 3, refused: 4 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** A command that does nothing, for the reason in its message. */
export class OperatorRefusal extends Error {
  constructor(
    readonly exit: Exit,
    message: string,
  ) {
    super(message);
    this.name = 'OperatorRefusal';
  }
}

export function refuse(message: string): never {
  throw new OperatorRefusal(EXIT.refused, message);
}

export function unknown(message: string): never {
  throw new OperatorRefusal(EXIT.unknown, message);
}
