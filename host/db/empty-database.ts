import { resolve } from 'node:path';

/** A migrated, empty embedded database made by the build, because setting one up takes seconds. */
export const EMPTY_DATABASE = resolve('build/host/empty-database');
