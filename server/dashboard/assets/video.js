/** Not there yet. */
