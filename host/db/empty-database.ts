import { resolve } from 'node:path';

/** An embedded database as it is after all migrations, made by the build: setting one up takes seconds. */
export const EMPTY_DATABASE = resolve('build/host/empty-database');
