package archive

// onlyFolder is zero, as there are no pipes among files.
const onlyFolder = 0
