import star
import table


print(star, table)
