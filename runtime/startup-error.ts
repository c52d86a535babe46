/** Why a program cannot start, in words for its operator, who can change it. */
export class StartupError extends Error {}

const ADVICE: Record<string, string> = {
  EACCES: 'run the program as the user that owns its files, or change their owner',
  EPERM: 'run the program as the user that owns its files, or change their owner',
  EROFS: 'make its disk writable, or choose another folder',
  ENOSPC: 'free some space on its disk',
  EEXIST: 'choose another folder, or remove the file in its place',
  ENOTDIR: 'choose another folder, or remove the file in its place',
};

/** For an error of the file system in DATA_DIR. */
export function dataFolderError(error: unknown): StartupError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new StartupError(
    `DATA_DIR cannot be used (${message}): ${ADVICE[code] ?? 'check the folder and its disk'}`,
  );
}

/** Ends the program with the reason alone. Rethrows what no operator can change. */
export function exitWithReason(error: unknown): never {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** The result of a step of the start, or the end of the program. */
export function orExit<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    return exitWithReason(error);
  }
}
