import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '~/ui/button';
import type { FieldMeta } from '~/ui/field';
import { Form } from '~/ui/form';
import { RadioGroup } from '~/ui/radio-group';

export interface PicturedStyle {
  id: string;
  name: string;
  isDefault: boolean;
  /** URL of its picture. */
  picture: string;
  /** URL of the picture of the logo that it brings along. */
  logo: string | null;
}

/** Saved looks with the actions on each. */
export function StyleList({ styles }: { styles: PicturedStyle[] }) {
  return (
    <ul className="saved-styles">
      {styles.map((style) => (
        <li key={style.id} className="sheet saved-style">
          <StyleCard style={style} />
        </li>
      ))}
    </ul>
  );
}

function StyleCard({ style: { id, name, isDefault, picture, logo } }: { style: PicturedStyle }) {
  const { t } = useTranslation('codes');
  const about = <span className="sr-only"> {name}</span>;
  return (
    <>
      <StylePicture address={picture} />
      <div className="saved-style__about">
        <h2>{name}</h2>
        {logo && (
          <p className="hint">
            <img src={logo} alt="" width={24} height={24} /> {t('styles.hasLogo')}
          </p>
        )}
        {isDefault && <p className="badge">{t('styles.default')}</p>}
        <div className="actions">
          <Link to={`/user/styles/${id}#use`} className={buttonClass('secondary', 'small')}>
            {t('styles.use.link')}
            {about}
          </Link>{' '}
          <Link to={`/user/styles/${id}`} className={buttonClass('quiet', 'small')}>
            {t('styles.edit.link')}
            {about}
          </Link>{' '}
          <Form>
            <input type="hidden" name="id" value={id} />
            <Button
              variant="quiet"
              size="small"
              name="intent"
              value={isDefault ? 'no-default-style' : 'default-style'}
            >
              {t(isDefault ? 'styles.noDefault' : 'styles.makeDefault')}
              {about}
            </Button>
          </Form>{' '}
          <Link to={`/user/styles/${id}/delete`} className={buttonClass('quiet', 'small')}>
            {t('styles.delete.link')}
            {about}
          </Link>
        </div>
      </div>
    </>
  );
}

interface LookTilesProps {
  field: FieldMeta;
  legend: string;
  error: string | undefined;
  looks: { value: string; name: string; picture: string; isSaved: boolean }[];
  /** Offered first: leaves the looks of codes as they are. */
  keep?: string;
}

/** A required choice among pictured looks. */
export function LookTiles({ field, legend, error, looks, keep }: LookTilesProps) {
  const { t } = useTranslation('codes');
  return (
    <RadioGroup
      layout="tiles"
      legend={legend}
      field={{ ...field, required: true }}
      error={error}
      options={[
        ...(keep ? [{ value: 'keep', label: <span className="style-keep">{keep}</span> }] : []),
        ...looks.map(({ value, name, picture, isSaved }) => ({
          value,
          ...(isSaved && { badge: t('styles.yours') }),
          label: (
            <>
              <StylePicture address={picture} />
              <span className="style-name">{name}</span>
            </>
          ),
        })),
      ]}
    />
  );
}

/** Decorative: the look's name is beside it. */
export function StylePicture({ address }: { address: string }) {
  return <img src={address} alt="" width={96} height={96} loading="lazy" className="style-picture" />;
}
