import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Icon } from './icon';

interface Props {
  /** From 1. */
  page: number;
  limit: number;
  /** Number of all entries. */
  total: number;
  /** Path of the list, with its other parameters if it has any. */
  path: string;
  /** Id of the list, for a page that begins with something else. */
  fragment?: string;
  /** Query parameter and accessible name, for a page with several lists. */
  parameter?: string;
  label?: string;
}

/** Links to the other pages of a list; null if there is only one page. */
export function Pagination({ page, limit, total, path, fragment, parameter = 'page', label }: Props) {
  const { t } = useTranslation();
  const last = Math.ceil(total / limit);
  if (last <= 1) return null;
  const to = (number: number) =>
    `${path}${path.includes('?') ? '&' : '?'}${parameter}=${number}${fragment ? `#${fragment}` : ''}`;
  return (
    <nav className="pagination" aria-label={label ?? t('pagination.label')}>
      {page > 1 && (
        <Link to={to(page - 1)} rel="prev" className="step">
          <Icon name="arrow-left" />
          {t('pagination.previous')}
        </Link>
      )}
      <ul>
        {pagesAround(page, last).map((number, position, all) => (
          <li key={number} className={number - (all[position - 1] ?? 0) > 1 ? 'after-gap' : undefined}>
            <Link
              to={to(number)}
              aria-label={t('pagination.page', { number })}
              aria-current={number === page ? 'page' : undefined}
            >
              {number}
            </Link>
          </li>
        ))}
      </ul>
      {page < last && (
        <Link to={to(page + 1)} rel="next" className="step">
          {t('pagination.next')}
          <Icon name="arrow-right" />
        </Link>
      )}
    </nav>
  );
}

/** First, last, and the neighbours of the current page, in order. */
export function pagesAround(page: number, last: number): number[] {
  const wanted = [1, page - 1, page, page + 1, last];
  return [...new Set(wanted)].filter((number) => number >= 1 && number <= last).sort((a, b) => a - b);
}
