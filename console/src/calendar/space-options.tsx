import type { Space } from '@hourkeep/client';
import { strings } from '../strings.ts';

export function SpaceOptions({ spaces }: { spaces: readonly Space[] }) {
  const active = spaces.filter(({ is_active }) => is_active);
  const inactive = spaces.filter(({ is_active }) => !is_active);
  const options = (some: readonly Space[]) =>
    some.map(({ id, title }) => (
      <option key={id} value={id}>
        {title}
      </option>
    ));
  return (
    <>
      {options(active)}
      {inactive.length > 0 && <optgroup label={strings.inactive}>{options(inactive)}</optgroup>}
    </>
  );
}
