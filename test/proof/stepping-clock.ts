import { readFileSync } from 'node:fs';

// Loaded into a service before anything else (NODE_OPTIONS=--import=…): its clock runs as many milliseconds off
// as the file that STEPPING_CLOCK names says, from the next tenth of a second on. The machine's clock is not
// ours to move, and libfaketime would have to be installed; the service asks nothing but Date.now for the time.

const file = process.env['STEPPING_CLOCK'];
if (file !== undefined) {
  const now = Date.now.bind(Date);
  let offset = 0;
  Date.now = () => now() + offset;
  setInterval(() => {
    offset = Number(readFileSync(file, 'utf8')) || 0;
  }, 100).unref();
}
