import type { Style } from '#contract/style-rules';
import type { RequestContext } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import { i18nOf } from '~/i18n/messages.server';
import { readyMadeStyles } from './ready-made-styles';
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
      ...readyMade,
    ].map(({ style, ...look }) => ({ ...look, picture: styleAddress(style) })),
  };
}

/** The look that a form chose; undefined for a name that is not offered. */
export async function findLook(
  requestContext: RequestContext,
  token: string,
  value: string,
): Promise<Style | undefined> {
  const readyMade = (await readyMadeLooks(requestContext)).find((look) => look.value === value);
  if (readyMade || value === '') return readyMade?.style;
  return (await findStyles(requestContext, token)).find(({ id }) => id === value)?.style;
}

/** Worded in the language of the page. */
async function readyMadeLooks({ request }: RequestContext) {
  const t = i18nOf(await getLocale(request)).getFixedT(null, 'look');
  return readyMadeStyles((name) => t(`captions.${name}`)).map(({ name, style }) => ({
    value: name as string,
    name: t(`readyMade.${name}`),
    style,
    isSaved: false,
  }));
}
