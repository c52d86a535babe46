import { Form, Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { Icon } from '~/ui/icon';
import type { CodeSearchView } from './code-search.server';

interface Props {
  search: CodeSearchView;
}

/** Finds a code when there are too many to list; results appear below, and the filter is kept. */
export function CodeSearch({ search }: Props) {
  const { t } = useTranslation('statistics');
  return (
    <search className="code-search">
      <Form key={search.text} method="get" action="/user/analytics#found">
        {search.kept.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <label htmlFor="find-code">{t('search.label')}</label>
        <p id="find-code-hint" className="hint">
          {t('search.hint')}
        </p>
        <div className="with-suffix">
          <input
            id="find-code"
            type="search"
            name="find"
            className="input"
            defaultValue={search.text}
            maxLength={255}
            autoComplete="off"
            enterKeyHint="search"
            aria-describedby="find-code-hint"
          />
          <Button variant="secondary">
            <Icon name="search" />
            {t('search.submit')}
          </Button>
        </div>
      </Form>
      {search.text !== '' && <Found search={search} />}
    </search>
  );
}

function Found({ search: { text, codes, older, isContinued } }: Props) {
  const { t } = useTranslation('statistics');
  const found = isContinued ? 'search.foundOlder' : 'search.found';
  const none = isContinued ? 'search.noneOlder' : 'search.none';
  return (
    <section className="code-search__found" aria-labelledby="found">
      <h2 id="found">{t(codes.length === 0 ? none : found, { text, count: codes.length })}</h2>
      {codes.length > 0 && (
        <ul>
          {codes.map(({ id, name, to, isShown }) => (
            <li key={id}>
              <Link to={to} aria-current={isShown ? 'true' : undefined}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {older && (
        <p>
          <Link to={older}>{t('search.older')}</Link>
        </p>
      )}
    </section>
  );
}
