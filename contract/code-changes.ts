import { z } from 'zod';
import { IsoDateTime } from './call';

export const CHANGED_FIELDS = [
  'content',
  'visibility',
  'subject',
  'body',
  'name',
  'tags',
  'archived',
  'counted',
  'watched',
  'style',
  'logo',
  'rules',
  'schedule',
  'pause',
  'end',
  'campaign',
] as const;

/**
 * Values by field: `tags` comma-separated, `archived`, `counted` and `watched` `true` or `false`, `style` JSON, empty for
 * the default look, `logo` JSON as in a change of it, with the name of an uploaded file, empty for none; `rules`,
 * `schedule`, `pause` and `end` JSON as in `routing` of a change, `campaign` JSON as in a change, empty for none.
 */
export const CodeChange = z.object({
  at: IsoDateTime,
  field: z.enum(CHANGED_FIELDS),
  before: z.string(),
  after: z.string(),
});
