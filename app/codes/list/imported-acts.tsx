import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { SelectionFields } from './selection';

/** As many as one action and the address of its page take. */
const AT_ONCE = 100;

/** Actions on the codes that an import has made: files of up to 1,000, changes of up to 100. */
export function ImportedActs({ ids }: { ids: string[] }) {
  const { t } = useTranslation('codes');
  const isSmall = ids.length <= AT_ONCE;
  if (ids.length === 0) return null;
  return (
    <form
      method={isSmall ? 'get' : 'post'}
      action="/user/qrcodes/sheet"
      className="actions"
      aria-labelledby="imported-acts"
    >
      <h2 id="imported-acts">{t('job.next', { count: ids.length })}</h2>
      <SelectionFields selection={[['ids', ids.join()]]} />
      <Button>{t('selection.sheet')}</Button>
      {isSmall &&
        (['style', 'tag'] as const).map((act) => (
          <Button key={act} variant="secondary" formAction="/user/qrcodes/selection" name="act" value={act}>
            {t(`selection.acts.${act}`)}
          </Button>
        ))}
      <Button variant="secondary" formAction="/user/qrcodes/zip">
        {t('selection.zip')}
      </Button>
    </form>
  );
}
