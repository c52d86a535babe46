import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { SelectionFields } from './selection';

interface Props {
  importId: string;
  /** How many codes it has made. */
  count: number;
}

/** What to do next with the codes that an import has made. */
export function ImportedActs({ importId, count }: Props) {
  const { t } = useTranslation('codes');
  const filter: [string, string][] = [
    ['import', importId],
    ['show', 'all'],
  ];
  return (
    <form action="/user/qrcodes/sheet" className="actions" aria-labelledby="imported-acts">
      <h2 id="imported-acts">{t('job.next', { count })}</h2>
      <SelectionFields selection={[['all', '1'], ...filter]} />
      <Button>{t('selection.sheet')}</Button>
      {(['style', 'tag'] as const).map((act) => (
        <Button key={act} variant="secondary" formAction="/user/qrcodes/selection" name="act" value={act}>
          {t(`selection.acts.${act}`)}
        </Button>
      ))}
      <Button variant="secondary" formAction="/user/qrcodes/zip">
        {t('selection.zip')}
      </Button>
      <Link to={`/user/qrcodes?${new URLSearchParams(filter)}`}>{t('job.show')}</Link>
    </form>
  );
}
