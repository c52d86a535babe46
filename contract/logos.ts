import { z } from 'zod';
import { call } from './call';
import { PresetFile } from './codes';

/** Answers the bare list of file names, as the specification has it. */
export const listPresets = call({
  name: 'listPresets',
  method: 'GET',
  path: '/api/logos_presets',
  summary: 'File names of the preset logos',
  access: 'public',
  response: z.array(z.string()),
  errors: [],
});

export const getPreset = call({
  name: 'getPreset',
  method: 'GET',
  path: '/api/logos_presets/{file}',
  summary: 'Image of a preset logo (SVG)',
  access: 'public',
  params: z.object({ file: PresetFile }),
  errors: ['not_found'],
});
