import digdag


def read(cities):
    """Invents figures for each city, and keeps them for the tasks after this one."""
    figures = {city: 10 * len(city) + index for index, city in enumerate(cities)}
    digdag.env.store({"figures": figures, "total": sum(figures.values())})


class Report:
    def __init__(self, figures):
        self.figures = figures

    def best(self):
        city = max(self.figures, key=self.figures.get)
        digdag.env.store({"best": {"city": city, "sold": self.figures[city]}})


def split(cities):
    """Makes a task for each city; they run after this function."""
    for city in cities:
        digdag.env.add_subtask(tell, city=city)


def tell(city, figures):
    print(f"{city}: {figures[city]}")
