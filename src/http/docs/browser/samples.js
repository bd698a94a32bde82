// Used by the service for what it renders and by the page when the reader changes a value.

/**
 * @typedef {object} SampleRequest
 * @property {string} method
 * @property {string} url
 * @property {boolean} authenticated
 * @property {Record<string, string>} headers
 * @property {unknown} [body]
 */

/** @typedef {{ name: string, language: string, code: string }} Sample */

/**
 * The same request in the languages that people paste from. The key comes from the environment variable KEY, so that
 * no sample shows one; each sample runs as it stands (a test does).
 * @param {SampleRequest} request
 * @returns {Sample[]}
 */
export function samplesOf(request) {
  return [
    { name: 'curl', language: 'sh', code: curl(request) },
    { name: 'Node', language: 'js', code: node(request) },
    { name: 'Python', language: 'python', code: python(request) },
  ];
}

/** @param {SampleRequest} request */
function curl({ method, url, authenticated, headers, body }) {
  const parts = [`curl${method === 'GET' ? '' : ` -X ${method}`} "${url}"`];
  if (authenticated) parts.push('-H "Authorization: Bearer $KEY"');
  for (const [name, value] of Object.entries(headers))
    parts.push(`-H '${quoteForShell(`${name}: ${value}`)}'`);
  if (body !== undefined) {
    parts.push(`-H "Content-Type: application/json"`);
    parts.push(`-d '${quoteForShell(JSON.stringify(body, null, 2))}'`);
  }
  return parts.join(' \\\n  ');
}

/** @param {string} text */
function quoteForShell(text) {
  return text.replaceAll("'", "'\\''");
}

/** @param {SampleRequest} request */
function node({ method, url, authenticated, headers, body }) {
  const lines = [
    ...(authenticated ? ['Authorization: `Bearer ${process.env.KEY}`'] : []),
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(lines.length === 0 ? [] : [`  headers: {\n${lines.map((line) => `    ${line},\n`).join('')}  },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body)}),`]),
  ];
  const argument = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const response = await fetch(${JSON.stringify(url)}${argument});
console.log(response.status, await response.text());`;
}

/** @param {SampleRequest} request */
function python({ method, url, authenticated, headers, body }) {
  const lines = [
    ...(authenticated ? ['"Authorization": f"Bearer {os.environ[\'KEY\']}"'] : []),
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const data =
    body === undefined ? '' : `    data=json.dumps(${pythonLiteral(indented(body, '    '))}).encode(),\n`;
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="${method}",
    headers={
${lines.map((line) => `        ${line},\n`).join('')}    },
${data})
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`;
}

/** @param {unknown} value @param {string} [by] */
function indented(value, by = '  ') {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${by}`);
}

/** JSON is Python but for three words; strings are left alone. @param {string} json */
function pythonLiteral(json) {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (text) => PYTHON_WORDS[text] ?? text);
}

/** @type {Record<string, string>} */
const PYTHON_WORDS = { true: 'True', false: 'False', null: 'None' };
