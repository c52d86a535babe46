import sharp from 'sharp';
import { serveTasks } from '#processes/serve-tasks';
import { isHandedOut, makeFile } from '~/codes/pictures/code-files.server';
import { shrinkLogo } from '~/codes/pictures/code-png.server';
import { examine } from '~/codes/pictures/examine.server';
import { makeSheet } from '~/codes/pictures/sheet-pdf.server';

// One thread a process; how many processes there are says the pool.
sharp.concurrency(1);
sharp.cache(false);

const tasks = { examine, isHandedOut, makeFile, makeSheet, shrinkLogo };
export type DrawingTasks = typeof tasks;

serveTasks(tasks);
