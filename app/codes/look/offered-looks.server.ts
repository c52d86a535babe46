import type { Style } from '#contract/style-rules';
import type { RequestContext } from '~/http/scope.server';
import { readyMadeLooks } from './look.server';
import { findStyles } from './saved-styles.server';
import { styleAddress } from './style-picture.server';

/** The account's saved looks and the ready-made ones, to choose from; `value` is what a form posts. */
export async function offeredLooks(requestContext: RequestContext, token: string) {
  const [saved, readyMade] = await Promise.all([
    findStyles(requestContext, token),
    readyMadeLooks(requestContext),
  ]);
  const begun = saved.find(({ isDefault }) => isDefault);
  return {
    begun: begun?.id ?? null,
    looks: [
      ...saved.map(({ id, name, style }) => ({ value: id, name, style, isSaved: true })),
      ...readyMade.map(({ name, title, style }) => ({ value: name, name: title, style, isSaved: false })),
    ].map(({ style, ...look }) => ({ ...look, picture: styleAddress(style) })),
  };
}

/** The look that a form chose; undefined for a name that is not offered. */
export async function findLook(
  requestContext: RequestContext,
  token: string,
  value: string,
): Promise<Style | undefined> {
  const readyMade = (await readyMadeLooks(requestContext)).find(({ name }) => name === value);
  if (readyMade || value === '') return readyMade?.style;
  return (await findStyles(requestContext, token)).find(({ id }) => id === value)?.style;
}
