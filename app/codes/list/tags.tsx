import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';

/** Each tag links to the codes that have it. */
export function Tags({ tags }: { tags: string[] }) {
  const { t } = useTranslation('codes');
  return (
    <ul className="tags" aria-label={t('tags.label')}>
      {tags.map((tag) => (
        <li key={tag}>
          <Link to={`/user/qrcodes?tag=${encodeURIComponent(tag)}`} className="tag">
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  );
}
