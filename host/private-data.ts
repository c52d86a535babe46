import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolderError } from '#runtime/startup-error';

/** Files of hosts and websites in DATA_DIR. */
const DATA_NAMES = /^(?:database(?:\..+)?|visits|[a-z]+-secret(?:\..+)?)$/;
/** What PostgreSQL needs there: it may run as another user, and keeps its own files private. */
const POSTGRES_NAMES = /^postgres(?:[.-].+)?$/;
/** The DATA_DIR of a demo. */
const DEMO = 'demo';

/**
 * Creates the data folder with access for its owner only, and restricts what earlier versions wrote there. A folder
 * that also contains other things keeps its own permissions: it was not created for this. Returns the paths that could
 * not be changed or read, such as files of another user.
 */
export function makeDataPrivate(folder: string): string[] {
  if (!existsSync(folder)) {
    create(folder);
    return [];
  }
  const names = namesIn(folder);
  if (!names) return [folder];
  const own = names.filter((name) => DATA_NAMES.test(name));
  const failed = own.flatMap((name) => restrictRecursively(join(folder, name)));
  if (names.includes(DEMO)) failed.push(...makeDataPrivate(join(folder, DEMO)));
  const isShared = names.some((name) => !own.includes(name) && name !== DEMO && !POSTGRES_NAMES.test(name));
  return isShared ? failed : [...failed, ...restrictOne(folder, isPassedThrough(folder) ? 0o711 : 0o700)];
}

/** Whether another user passes through the folder on the way to a database: PostgreSQL refuses to run as root. */
function isPassedThrough(folder: string): boolean {
  const owner = lstatSync(folder).uid;
  return [join(folder, 'postgres'), join(folder, DEMO, 'postgres')].some((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isDirectory() === true && stats.uid !== owner;
  });
}

function create(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw dataFolderError(error);
  }
}

/** Restricts a file, or a folder with everything in it. Links are not followed. */
function restrictRecursively(path: string): string[] {
  const failed = restrictOne(path);
  const names = namesIn(path);
  return names
    ? [...failed, ...names.flatMap((name) => restrictRecursively(join(path, name)))]
    : [...new Set([...failed, path])];
}

/** Entries of a folder; none if it is no folder, null if it cannot be read. */
function namesIn(path: string): string[] | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : [];
  } catch {
    return existsSync(path) ? null : [];
  }
}

function restrictOne(path: string, allowed = 0o700): string[] {
  try {
    // Programs that start together may change the same files concurrently.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || stats.isSymbolicLink() || (stats.mode & 0o777 & ~allowed) === 0) return [];
    chmodSync(path, stats.mode & allowed);
    return [];
  } catch {
    return existsSync(path) ? [path] : [];
  }
}
