import { Component, useEffect, useState, type ComponentType, type ReactNode } from 'react';
import type { Screen } from '../router.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';

/**
 * A part of the page that is loaded when it is first needed. Where that fails it says so and can be tried again. A part of a
 * screen (null) has no heading of its own; a whole page (undefined) has ours.
 */
export function part<Props extends object>(
  screen: Screen | null | undefined,
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function Part(props: Props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(Loaded ? 'loaded' : 'loading');
    useEffect(() => {
      if (state !== 'loading') return;
      load().then(
        (found) => {
          Loaded = found.default;
          setState('loaded');
        },
        () => setState('failed'),
      );
    }, [state]);
    const tryAgain = (): void => {
      // A file that is not there while the page is has gone with an update: the new page knows the new files.
      const reload = async (): Promise<void> => {
        const page = await fetch(document.baseURI, { cache: 'no-store' });
        if (page.ok) location.reload();
      };
      load()
        .then(() => setState('loading'), reload)
        .catch(() => undefined);
    };
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (state === 'failed')
      return <Broken screen={screen} text={strings.part.notLoaded} onRetry={tryAgain} />;
    return <div className={screen === null ? 'skeleton' : 'skeleton tall'} />;
  };
}

interface ContainedProps {
  screen?: Screen | undefined;
  children: ReactNode;
}

/** Whatever goes wrong in here is told; the page around it stays. */
export class Contained extends Component<ContainedProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    const retry = (): void => this.setState({ failed: false });
    return <Broken screen={this.props.screen} text={strings.part.broken} onRetry={retry} />;
  }
}

/** With a heading, unless it is a part of a screen. */
export function Broken({
  screen,
  text,
  onRetry,
}: {
  screen: Screen | null | undefined;
  text: string;
  onRetry: () => void;
}) {
  return (
    <>
      {screen !== null && <h1>{screen === undefined ? 'Hourkeep' : strings.screens[screen]}</h1>}
      <div role="alert" className="alert">
        <p>{text}</p>
        <Button onClick={onRetry}>{strings.tryAgain}</Button>
      </div>
    </>
  );
}
