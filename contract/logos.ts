import { z } from 'zod';
import { call, dataOf, Id } from './call';
import { LOGO_FORM_BYTES_LIMIT, LogoFile, OwnLogo, PresetFile } from './logo-choice';

/** Returns a bare list of file names, as specified. */
export const listPresets = call({
  name: 'listPresets',
  method: 'GET',
  path: '/api/logos_presets',
  summary: 'File names of the preset logos',
  access: 'public',
  key: 'read',
  publicPath: '/api/v1/logo-presets',
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
  summary: 'The logo of a code: PNG of at most 512 pixels, or SVG if it is a preset',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/codes/{id}/logo',
  mediaType: ['image/png', 'image/svg+xml'],
  params: z.object({ id: Id }),
  errors: ['unauthenticated', 'not_found', 'code_deleted'],
});

export const uploadLogo = call({
  name: 'uploadLogo',
  method: 'POST',
  path: '/api/logos',
  summary:
    'Store a logo to give to codes; the same file again returns the same one; dropped after an hour if unused',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/logos',
  form: z.object({ logo: LogoFile }),
  maxBodyBytes: LOGO_FORM_BYTES_LIMIT,
  response: dataOf(OwnLogo),
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'invalid', 'too_large', 'rate_limited', 'unavailable'],
});

export const getLogo = call({
  name: 'getLogo',
  method: 'GET',
  path: '/api/logos/{id}',
  summary: "PNG of one of the account's own logos, at most 512 pixels",
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/logos/{id}',
  mediaType: 'image/png',
  params: z.object({ id: Id }),
  errors: ['unauthenticated', 'not_found'],
});
