/** The greatest lengths of a space's texts and lists, in the API and on the command line. */
export const SPACE_TEXT_LENGTHS = {
  title: 200,
  categorySlug: 100,
  description: 10_000,
  address: 500,
  area: 200,
  amenity: 100,
  photoUrl: 2048,
  entries: 200,
};
