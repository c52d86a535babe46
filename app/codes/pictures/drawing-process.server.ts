import sharp from 'sharp';
import { serveTasks } from '#runtime/processes/serve-tasks';
import { chooseSymbol, makeFile } from '~/codes/pictures/code-files.server';
import { shrinkLogo } from '~/codes/pictures/code-png.server';
import { examine, readBack } from '~/codes/pictures/examine.server';
import { findCutTexts } from '~/codes/pictures/label-text.server';
import { makeReport } from '~/codes/pictures/report-pdf.server';
import { makeSheet } from '~/codes/pictures/sheet-pdf.server';

// One thread per process; the pool decides how many processes there are.
sharp.concurrency(1);
sharp.cache(false);

const tasks = { chooseSymbol, examine, findCutTexts, makeFile, makeReport, makeSheet, readBack, shrinkLogo };
export type DrawingTasks = typeof tasks;

serveTasks(tasks);
