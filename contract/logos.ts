import { z } from 'zod';
import { call, Id } from './call';
import { PresetFile } from './codes';

/** Returns a bare list of file names, as specified. */
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

export const getCodeLogo = call({
  name: 'getCodeLogo',
  method: 'GET',
  path: '/api/qrcodes/{id}/logo',
  summary: 'PNG of the logo of a code, at most 512 pixels',
  access: 'user',
  params: z.object({ id: Id }),
  errors: ['unauthenticated', 'not_found', 'code_deleted'],
});
