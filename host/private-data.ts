import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What hosts and websites keep in DATA_DIR. */
const OWN = /^(?:database(?:\..+)?|visits|demo|[a-z]+-secret(?:\..+)?)$/;

/**
 * Makes the data folder for nobody but its owner, and takes everybody else's rights from what earlier versions wrote
 * there. A folder that also holds something else keeps its own rights: it was not made for this. Answers what could not
 * be changed or looked through, such as files of another user.
 */
export function makeDataPrivate(folder: string): string[] {
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return [];
  }
  const names = namesIn(folder);
  if (!names) return [folder];
  const own = names.filter((name) => OWN.test(name));
  const left = own.flatMap((name) => closeToOthers(join(folder, name)));
  return names.length === own.length ? [...left, ...closeOne(folder)] : left;
}

/** Of a file, or of a folder with everything in it. Links are not followed. */
function closeToOthers(path: string): string[] {
  const left = closeOne(path);
  const names = namesIn(path);
  return names
    ? [...left, ...names.flatMap((name) => closeToOthers(join(path, name)))]
    : [...new Set([...left, path])];
}

/** None in what is no folder; null where they cannot be read. */
function namesIn(path: string): string[] | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : [];
  } catch {
    return existsSync(path) ? null : [];
  }
}

function closeOne(path: string): string[] {
  try {
    // Programs that start together may be at work on the same files.
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || found.isSymbolicLink() || (found.mode & 0o077) === 0) return [];
    chmodSync(path, found.mode & 0o700);
    return [];
  } catch {
    return existsSync(path) ? [path] : [];
  }
}
