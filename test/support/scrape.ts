/** The samples of a scrape, by name and labels as they stand in it. */
export function samplesOf(scraped: string): Map<string, number> {
  const lines = scraped.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
