import { FORM_BARRIERS } from './forms';
import { KEYBOARD_BARRIERS } from './keyboard';
import { LOOK_BARRIERS } from './look';
import { STRUCTURE_BARRIERS } from './structure';

export const BARRIERS = [...FORM_BARRIERS, ...KEYBOARD_BARRIERS, ...STRUCTURE_BARRIERS, ...LOOK_BARRIERS];
