import logo from '../../../src/http/docs/browser/logo.svg';

/** The one logo: the reference and the home page show the same file. */
export function Mark() {
  return <img src={logo} className="mark" alt="" />;
}
