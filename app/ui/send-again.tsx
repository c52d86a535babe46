import { useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from './button';
import { DefinitionList } from './definition-list';

// Fields that have different names in different forms.
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['firstname', 'firstName'],
  ['lastname', 'lastName'],
  ['message', 'body'],
  ['zip_code', 'postal_code'],
  ['company', 'company_name'],
  ['siret', 'siret_number'],
]);

/** Select fields, by page: their posted values are not the texts that the visitor saw. */
const SELECTS: Record<string, string[]> = { '/contact': ['subject'] };

interface Props {
  fields: [name: string, value: string][];
  /** True if the session ended before they were saved. */
  isInterrupted?: boolean;
}

/** What was typed, to review and to submit again to the same address. */
export function SendAgain({ fields, isInterrupted = false }: Props) {
  const { t } = useTranslation();
  const page = useOwnAction();
  const unsent = `/unsent?to=${encodeURIComponent(page)}`;
  const selects = SELECTS[useLocation().pathname] ?? [];
  const items = fields.flatMap(([name, value]) => {
    const term = t(`errors.fields.${ALIASES.get(name) ?? name}`, { defaultValue: '' });
    return value !== '' && !selects.includes(name) && term ? [{ term, value }] : [];
  });
  return (
    <section className={isInterrupted ? 'sheet unsent' : 'sheet'}>
      <h2>{t('errors.typed')}</h2>
      {isInterrupted && <p>{t('errors.unsent')}</p>}
      {items.length > 0 && <DefinitionList items={items} />}
      <form method="post" action={isInterrupted ? unsent : page}>
        {fields.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <div className="actions">
          <Button>{t('errors.again')}</Button>
          {isInterrupted && (
            <Button variant="quiet" formAction={`${unsent}&discard`}>
              {t('errors.discard')}
            </Button>
          )}
        </div>
      </form>
    </section>
  );
}

/** Address to which the current page's form posts; Remix addresses the action of the home page by `?index`. */
function useOwnAction(): string {
  const { pathname, search } = useLocation();
  if (pathname !== '/' || /[?&]index(?:[&=]|$)/.test(search)) return pathname + search;
  return `${pathname}${search === '' ? '?' : `${search}&`}index`;
}
