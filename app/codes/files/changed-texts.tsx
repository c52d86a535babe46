import { useTranslation } from 'react-i18next';
import type { SheetPage } from './sheet.server';

interface Props {
  page: SheetPage;
  /** The layout, caption and call to action as they are chosen now, which may not have been sent yet. */
  chosen: Pick<SheetPage['values'], 'layout' | 'caption' | 'action'>;
}

/** What of the texts on the labels is printed otherwise than it is written, before anything is printed. */
export function ChangedTexts({ page, chosen }: Props) {
  const { t } = useTranslation('files');
  const { unprintable, part, changed } = page;
  const { withoutEmoji, action, cut } = isSent({ page, chosen })
    ? changed
    : { ...changed, action: '', cut: null };
  const range = part ? `${part.from}–${part.to} · ` : '';
  const lists = [
    { key: 'unprintable', names: unprintable },
    { key: 'withoutEmoji', names: withoutEmoji },
    { key: 'cut', names: cut?.names ?? [] },
  ] as const;
  return (
    <>
      {lists.map(
        ({ key, names }) =>
          names.length > 0 && (
            <p key={key} className="warning">
              {range}
              {t(`sheet.${key}`, { count: names.length })} {names.join(' · ')}
            </p>
          ),
      )}
      {action !== '' && <p className="warning">{t('sheet.actionWithoutEmoji', { action })}</p>}
      {cut?.hasAction && <p className="warning">{t('sheet.actionCut')}</p>}
    </>
  );
}

/** Whether it is known which texts are cut; it is not for a choice that has not been sent yet. */
export function isCutKnown({ page, chosen }: Props): boolean {
  return chosen.caption === 'none' || (isSent({ page, chosen }) && page.changed.cut !== null);
}

function isSent({ page: { values }, chosen }: Props): boolean {
  return (['layout', 'caption', 'action'] as const).every((name) => chosen[name] === values[name]);
}
