import { useLocation, useMatches } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from './button';
import { DefinitionList } from './definition-list';

// Names of the same thing in different forms.
const ALIASES: Record<string, string> = {
  firstname: 'firstName',
  lastname: 'lastName',
  message: 'body',
  zip_code: 'postal_code',
  company: 'company_name',
  siret: 'siret_number',
};

/** Options of a list, by page: what is posted of them is not what the visitor reads there. */
const CHOSEN: Record<string, string[]> = { '/contact': ['subject'] };

interface Props {
  fields: [name: string, value: string][];
  /** True where the session ended before they were saved. */
  isInterrupted?: boolean;
}

/** What was typed, to read and to send once more to where it was going. */
export function SendAgain({ fields, isInterrupted = false }: Props) {
  const { t } = useTranslation();
  const page = useOwnAction();
  const unsent = `/unsent?to=${encodeURIComponent(page)}`;
  const chosen = CHOSEN[useLocation().pathname] ?? [];
  const items = fields.flatMap(([name, value]) => {
    const term = t(`errors.fields.${ALIASES[name] ?? name}`, { defaultValue: '' });
    return value !== '' && !chosen.includes(name) && term ? [{ term, value }] : [];
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

/** The address of the page shown, as one to post to: a page in the place of its folder is told apart by `index`. */
function useOwnAction(): string {
  const { pathname, search } = useLocation();
  const isIndex = useMatches().at(-1)?.id.endsWith('_index');
  if (!isIndex || /[?&]index(?:[&=]|$)/.test(search)) return pathname + search;
  return `${pathname}${search === '' ? '?' : `${search}&`}index`;
}
